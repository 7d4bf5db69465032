const board = document.getElementById("board");
