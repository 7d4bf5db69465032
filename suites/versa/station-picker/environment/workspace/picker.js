const field = document.getElementById("station");
