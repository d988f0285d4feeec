//! Every CUDA driver symbol that cust uses, forwarded on first call to the driver opened at run time.
