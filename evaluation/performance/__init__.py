"""Measurements of time, memory and throughput, one file each: what `manage.py bench` runs."""
