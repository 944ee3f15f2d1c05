/** Receives what the API servers of workload clusters report. */
import { proxyEvent } from '../adapters/aws/lambda/events.ts';
import { answerOf, requestOf } from '../adapters/aws/lambda/http.ts';
import { once } from '../machinery/once.ts';
import { receivingEnvironment } from './environment.ts';
import { handles } from './handle.ts';
import { type Receiving, receivingOf } from './runtime/receiving.ts';

export const receives = (runtime: () => Receiving) =>
  handles(proxyEvent, {
    runtime,
    about: ({ httpMethod, path, requestContext }) => ({ request: requestContext.requestId, httpMethod, path }),
    run: ({ fetch }, event) => answerOf(requestOf(event, {}), fetch),
  });

export const handler = receives(once(() => receivingOf(receivingEnvironment(process.env))));
