/** Documents that clients keep: with an ETag, by which a request for one that is known is answered with 304. */
import { createHash } from 'node:crypto';

export const tagOf = (text: string | Uint8Array): string =>
  `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"`;

/** Whether `If-None-Match` names the tag, alone or among others. */
const isKnown = (request: Request, tag: string): boolean =>
  (request.headers.get('if-none-match') ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === tag || one === '*');

/** `tag`: of the body, if it has been computed. */
export const taggedResponse = (
  request: Request,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  tag = tagOf(body),
): Response => {
  const all = { Vary: 'Accept', ...headers, ETag: tag };
  return isKnown(request, tag)
    ? new Response(null, { status: 304, headers: all })
    : new Response(body, { headers: all });
};
