# Given a C++ program that throws 100,000 exceptions, when it is traced, then libgcc unwinds every one of them.
plain "$programs/exceptions"
expect_status 0
mv out plain.out
expect_match plain.out "^_Unwind_RaiseException of libgcc_s.so.1$"
traced "$programs/exceptions"
expect_status 0
expect_same plain.out out
expect_file trace.bin
