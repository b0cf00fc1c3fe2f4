"""ROS 2: topics, services and parameters of a simulated robot; needs rclpy."""
