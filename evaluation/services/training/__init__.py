"""Makes the models that play the built-in engine's roles: training, export, calibration, measurement, model card."""
