'use strict';

/** The order of the result: newest first, then by feed. Entries of one feed are found in their order, and sorting keeps it. */
function before(a, b) {
  return b.at - a.at || a.feed - b.feed;
}

/**
 * The `count` newest entries of several paged feeds.
 *
 * `found` holds the entries known so far that may be in the result, in its order. A feed's next page matters unless there are
 * `count` of them before the best entry that the page could hold.
 */
function latest(feeds, count, fetchPage, atOnce) {
  const states = feeds.map((name, feed) => ({name, feed, page: 0, at: Infinity, more: true, busy: false}));
  let found = [];
  let underWay = 0;
  let failed = false;

  return new Promise((resolve, reject) => {
    const matters = (state) => found.length < count || before(state, found[count - 1]) < 0;

    const take = (state, answer) => {
      for (const entry of answer.entries) {
        found.push({at: entry.at, feed: state.feed, entry});
        state.at = entry.at;
      }
      found.sort(before);
      found = found.slice(0, count);
      state.page++;
      state.more = answer.more;
    };

    const fail = (error) => {
      failed = true;
      reject(error);
    };

    const request = async (state) => {
      underWay++;
      state.busy = true;
      try {
        take(state, await fetchPage(state.name, state.page));
      } catch (error) {
        fail(error);
      }
      underWay--;
      state.busy = false;
      if (underWay === 0) go();
    };

    const go = () => {
      for (const state of states) {
        if (failed) return;
        if (underWay < atOnce && state.more && !state.busy && matters(state)) request(state);
      }
      if (underWay === 0 && !failed) resolve(found.map(({entry}) => entry));
    };

    if (count > 0) go();
    else resolve([]);
  });
}

module.exports = {latest};
