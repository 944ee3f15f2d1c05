/** Events are kept for an hour. */
import { sleep } from '../../../../machinery/ports.ts';
import type { Session } from './session.ts';

const minute = 60_000;
/** The clock skew between servers. */
const skew = minute / 2;
const lifetime = 60 * minute;
const collection = '/api/v1/namespaces/default/events';

export const fleeting = {
  'let an Event expire': async (session: Session) => {
    const { clock, draw, expect } = session;
    const name = session.newName();
    await session.ask('POST', collection, 201, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
      reason: 'Told',
      message: 'a test event',
      type: 'Normal',
    });
    const made = clock.now();
    const isListed = async () => {
      const { items } = (await session.ask('GET', collection, 200)) as unknown as {
        items: { metadata: { name: string } }[];
      };
      return items.some(({ metadata }) => metadata.name === name);
    };
    expect(`whether ${name} is listed`, await isListed(), true);
    await sleep(clock, draw.spread(minute, lifetime - 10 * minute));
    const isYoung = clock.now() < made + lifetime - skew;
    if (isYoung) await session.ask('GET', `${collection}/${name}`, 200);
    await sleep(clock, made + lifetime + skew - clock.now() + draw.spread(minute, 30 * minute));
    await session.ask('GET', `${collection}/${name}`, 404);
    expect(`whether ${name} is listed after an hour`, await isListed(), false);
  },
};
