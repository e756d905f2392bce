# Given a program that makes every kind of allocation, fails twice and exits with 7, when it runs traced, then its
# output and its exit code are what they are untraced, and the tracer prints nothing.
plain "$programs/kinds"
mv out plain.out && mv err plain.err
expect_status 7
traced "$programs/kinds"
expect_status 7
expect_same plain.out out
expect_same plain.err err
expect_file trace.bin
