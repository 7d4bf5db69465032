window.PHOTOS = ["Harbour at night", "Ferry", "Two gulls"];
