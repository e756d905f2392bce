#!/bin/sed -Ef
# Takes out of a report what may differ between two runs, or between the simulated and a real device, so that one golden
# text serves both: times, process, host, paths, addresses, the device's name and size, its memory in use.
s/[0-9]{2}-[A-Z][a-z]{2}-[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}/DATE/
s/(Total Allocated Memory:)[0-9.]+ *Mb/\1#Mb/
s/after [0-9.]+ s/after # s/
s/Device ([0-9]+) \([^)]*\)/Device \1/
s/^(  Device memory in use at that moment: ).*/\1#/
s/0x[0-9a-f]+/ADDRESS/g
/^  (command|executable|process|host|user|started|duration|GPU [0-9]+|driver|CUDA|CUPTI|directory|working|bytes per event|trace|rank|memtrace|feed|clock) /s/^(  [A-Za-z]+( [0-9]+)?) .*/\1 #/
