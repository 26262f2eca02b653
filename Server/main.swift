print("satcheld")
