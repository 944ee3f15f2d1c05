import { expect, it } from 'vitest';
import { virtualClock } from '../adapters/memory/virtual-clock.ts';
import { createProcessApi } from './process-api.ts';

it('counts open watches', async () => {
  const api = createProcessApi(virtualClock(0));
  const serve = api.counting(async ({ url }) => new Response(null, { status: url.includes('refused') ? 403 : 200 }));
  const gone = new AbortController();
  const ask = (path: string, signal?: AbortSignal) => new Request(`https://s${path}`, signal ? { signal } : {});
  await serve(ask('/api/v1/pods'));
  await serve(ask('/api/v1/pods?watch=0'));
  await serve(ask('/refused?watch=1'));
  await serve(ask('/api/v1/pods?watch=true', gone.signal));
  const read = async () => (await api.answer(ask('/capstan.dev/process'))!.json()) as object;
  expect(await read()).toEqual({ started: '1970-01-01T00:00:00.000Z', watches: 1 });
  gone.abort();
  expect(await read()).toMatchObject({ watches: 0 });
  expect(api.answer(ask('/api'))).toBeUndefined();
});
