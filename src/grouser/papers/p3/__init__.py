"""P3, Dean and Brennan 2008: the Tankbot on its treadmill."""
