// Controllers
