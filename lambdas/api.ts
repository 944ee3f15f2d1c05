/** The Kubernetes API for buffered requests. */
import { proxyEvent } from '../adapters/aws/lambda/events.ts';
import { answerOf, requestOf } from '../adapters/aws/lambda/http.ts';
import { once } from '../machinery/once.ts';
import { servingEnvironment } from './environment.ts';
import { handles } from './handle.ts';
import { type Serving, servingOf } from './runtime/serving.ts';

/** Below the gateway's limit, so a watch that arrives here ends cleanly and its client starts another. */
const watchSeconds = 20;

export const serves = (runtime: () => Serving) =>
  handles(proxyEvent, {
    runtime,
    about: ({ httpMethod, path, requestContext }) => ({ request: requestContext.requestId, httpMethod, path }),
    run: async ({ server, basePath, recorded }, event) => {
      const request = requestOf(event, { basePath, watchSeconds });
      try {
        return await answerOf(request, (asked) => server.fetch(asked));
      } finally {
        await recorded();
      }
    },
  });

export const handler = serves(once(() => servingOf(servingEnvironment(process.env))));
