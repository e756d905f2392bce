#!/bin/sed -Ef
# Takes out of a report what may differ between two runs, or between the simulated and a real device, so that one golden
# text serves both: times, process, host, paths, addresses, the device's name and size, its memory in use as measured.
s/[0-9]{2}-[A-Z][a-z]{2}-[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}/DATE/
s/(Total Allocated Memory:)[0-9.]+ *Mb/\1#Mb/
s/after [0-9.]+ s/after # s/
s/ +[0-9]+\.[0-9]{3} s( |$)/ # s\1/g
s/(Device [0-9]+) \([^)]*\)/\1/
s/^(  Device memory in use at that moment: ).*/\1#/
s/^(    device [0-9]+: .* were live), .*/\1/
s/0x[0-9a-f]+/ADDRESS/g
s/^(  events +)[0-9]+ \((allocated [0-9]+, freed [0-9]+(, launched [0-9]+)?(, failed [0-9]+)?).*/\1\2/
/^  storage /d
/^  (command|directory|host|process|GPU [0-9]+|driver|duration|bytes per event|device memory|room) / s/^(  [a-zA-Z]+( [0-9]+| per event| memory)?) .*/\1 #/
s/^Summary of .*/Summary/
