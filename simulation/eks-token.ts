/**
 * Bearer tokens of EKS: a presigned request of STS in base64url, which names the cluster and the time. The
 * simulation signs nothing.
 */
const prefix = 'k8s-aws-v1.';
/** STS takes a request for 15 minutes. */
const lifetime = 15 * 60_000;

const stamp = (now: number): string => new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');

export const eksToken = (region: string, name: string, now: number): string => {
  const query = new URLSearchParams({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Date': stamp(now),
    'X-Amz-Expires': '60',
    'x-k8s-aws-id': name,
  });
  return `${prefix}${Buffer.from(`https://sts.${region}.amazonaws.com/?${query}`).toString('base64url')}`;
};

/** Whether the token names the cluster, and is no older than 15 minutes. */
export const isTokenOf = (bearer: string, name: string, now: number): boolean => {
  if (!bearer.startsWith(prefix)) return false;
  const query = URL.parse(Buffer.from(bearer.slice(prefix.length), 'base64url').toString('utf8'))?.searchParams;
  const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(query?.get('X-Amz-Date') ?? '') ?? [];
  if (query?.get('x-k8s-aws-id') !== name || !date || !time) return false;
  const text = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`;
  const age = now - Date.parse(text);
  return age > -60_000 && age < lifetime;
};
