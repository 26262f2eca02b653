// LocalStore
