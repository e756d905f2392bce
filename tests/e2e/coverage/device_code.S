/* driver_fatbin: the fat binary of device_code.cu, whose file rules.mk names in DEVICE_CODE. */
    .section .rodata
    .globl driver_fatbin
    .balign 16
driver_fatbin:
    .incbin DEVICE_CODE
    .section .note.GNU-stack, "", %progbits
