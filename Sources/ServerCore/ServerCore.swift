// ServerCore
