/** The API behind `capstan status` for a control plane in one process; it requires the administrator's token. */
import type { Clock } from '../machinery/ports.ts';

const path = '/capstan.dev/process';

type Fetch = (request: Request) => Promise<Response>;

const isWatch = ({ method, url }: Request): boolean => {
  const watch = new URL(url).searchParams.get('watch');
  return method === 'GET' && watch !== null && watch !== 'false' && watch !== '0';
};

export interface ProcessApi {
  /** Undefined for other requests. */
  answer(request: Request): Response | undefined;
  /** How many are open. */
  watches(): number;
  /** Serves a request and counts open watches. */
  counting(serve: Fetch): Fetch;
}

export const createProcessApi = (clock: Clock): ProcessApi => {
  const started = clock.now();
  let watches = 0;
  return {
    answer: ({ method, url }) =>
      method === 'GET' && new URL(url).pathname === path
        ? Response.json({ started: new Date(started).toISOString(), watches })
        : undefined,
    watches: () => watches,
    counting: (serve) => async (request) => {
      const response = await serve(request);
      if (isWatch(request) && response.ok && !request.signal.aborted) {
        watches++;
        request.signal.addEventListener('abort', () => watches--, { once: true });
      }
      return response;
    },
  };
};
