//! Devices, buffers, checked launches and validation: a GPU through cust, a CPU through the emulator.
