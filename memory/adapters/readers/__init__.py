"""The learned readers at run time: small int8 encoders run by onnxruntime, and the arithmetic of their heads."""
