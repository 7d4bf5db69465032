const form = document.getElementById("form");
