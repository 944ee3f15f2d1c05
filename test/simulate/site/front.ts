/** The API's front: the gateway, its functions, and the authentication of each request. */
import { seconds } from '../../../cdk/limits.ts';
import { targetFor } from '../../../cdk/routes.ts';
import { Violation } from '../invariants/rule.ts';
import type { Mirror } from '../mirror.ts';
import type { Site } from '../site.ts';
import type { Story } from '../story.ts';
import { type Passing, streamedThroughGateway, throughGateway } from './gateway.ts';
import { type Identities, leastLeft } from './identities.ts';
import { createPool, InvocationLost } from './pool.ts';
import { startServer } from './worker.ts';

const second = 1000;

export interface Front {
  request(request: Request): Promise<Response>;
  watch(request: Request): Promise<Response>;
  /** Whether no request waits for its answer; watches do not count. */
  readonly isIdle: boolean;
}

export interface FrontOptions {
  site: Site;
  mirror: Mirror;
  identities: Identities;
  story: Story;
}

const whatOf = (request: Request) => `${request.method} ${new URL(request.url).pathname}`;

export const createFront = ({ site, mirror, identities, story }: FrontOptions): Front => {
  const { clock, faults } = site;
  const serversOf = (name: string, most: number) =>
    createPool({
      clock,
      start: (one) => startServer(site, one),
      name,
      most,
      onEnd: (worker, what, how) => story.tell('server', worker, what, how),
    });
  const servers = serversOf('server', 4);
  const watchers = serversOf('watcher', Number.POSITIVE_INFINITY);
  let requests = 0;
  let reads = 0;
  const passingOf = (limit: number): Passing => ({ clock, requestId: `request-${requests++}`, limit: limit * second });

  /**
   * Permitted clients are never unauthenticated, unless the request waited until its token expired.
   */
  const asked = async (request: Request, token: () => string, ask: (signed: Request) => Promise<Response>) => {
    if (request.headers.has('authorization')) return ask(request);
    request.headers.set('authorization', `Bearer ${token()}`);
    const began = clock.now();
    const response = await ask(request);
    if (response.status === 401 && clock.now() - began < leastLeft)
      mirror.breaks(new Violation('identities', `${whatOf(request)} is answered 401`));
    return response;
  };
  const stream = (request: Request): Promise<Response> => {
    const streamed = streamedThroughGateway(request, passingOf(seconds.watch));
    const run = watchers.invoke(whatOf(request), seconds.watch, (server) => streamed.run(server.stream));
    run.catch(streamed.break);
    return streamed.response;
  };
  const read = async (request: Request): Promise<Response> => {
    reads += 1;
    try {
      const response = await stream(request);
      // A reader gets the complete body or an error.
      return new Response(await response.arrayBuffer(), response);
    } finally {
      reads -= 1;
    }
  };
  const write = (request: Request): Promise<Response> => {
    const passing = passingOf(seconds.api);
    return servers.invoke(whatOf(request), seconds.api, (server) => throughGateway(request, server.answer, passing));
  };

  const isStreamed = ({ method, url }: Request) => targetFor(method, new URL(url).pathname)?.function === 'watch';

  return {
    request: async (request) => {
      const response = await asked(request, identities.person, isStreamed(request) ? read : write);
      if (faults.strikes('api.lost', request.method))
        throw new InvocationLost(`${whatOf(request)}: the answer is lost`);
      return response;
    },
    watch: (request) => asked(request, identities.tool, isStreamed(request) ? stream : write),
    get isIdle() {
      return servers.isIdle && reads === 0;
    },
  };
};
