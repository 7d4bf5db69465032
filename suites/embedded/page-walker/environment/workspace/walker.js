'use strict';

/** The `count` newest entries of several paged feeds. */
async function latest(feeds, count, fetchPage, atOnce) {
  const all = [];
  for (const feed of feeds) {
    for (let page = 0, more = true; more; page++) {
      const answer = await fetchPage(feed, page);
      all.push(...answer.entries);
      more = answer.more;
    }
  }
  return all.sort((a, b) => b.at - a.at).slice(0, count);
}

module.exports = {latest};
