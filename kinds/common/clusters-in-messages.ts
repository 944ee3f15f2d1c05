/** Messages of objects that several clusters share: each cluster's part begins with a line that names it. Pure. */

export const ofCluster = (name: string, message: string): string => `Cluster ${name}: ${message}`;
export const awaitingApiOf = (name: string): string => `Waiting for the API of Cluster ${name}`;

const begins = /^Cluster (\S+): |^Waiting for the API of Cluster (\S+)$/;

/** What is about no cluster, which comes first, and what is about this one; undefined if nothing is. */
export const aboutCluster = (message: string, cluster: string): string | undefined => {
  const parts = message.split('\n').reduce<string[][]>((found, line) => {
    const last = found.at(-1);
    if (last && !begins.test(line)) last.push(line);
    else found.push([line]);
    return found;
  }, []);
  const relevant = parts.filter(([first = '']) => {
    const [, named, awaited] = begins.exec(first) ?? [];
    const name = named ?? awaited;
    return name === undefined || name === cluster;
  });
  return relevant.length > 0 ? relevant.flat().join('\n') : undefined;
};
