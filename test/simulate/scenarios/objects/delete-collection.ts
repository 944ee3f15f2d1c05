/** Deletion of a collection deletes what is selected, and no more than its limit. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { configMaps, placeOf, type Session } from './session.ts';
import { collectionOf } from './writes.ts';

const sort = configMaps;

interface Page {
  items: unknown[];
  metadata: { continue?: string };
}

export const partly = {
  'delete a part of a collection': async (session: Session) => {
    const { client, draw, expect, world } = session;
    const [of, other] = [session.newName(), session.newName()];
    const selected = Array.from({ length: draw.whole(2, 4) }, () => session.newName());
    for (const name of selected) {
      await session.make(sort, { name, labels: { of } });
      await session.make(sort, { name: `${name}-beside`, labels: { of: other } });
    }
    await session.make(sort, { name: other, labels: { of: other } });
    const left = () => selected.filter((name) => world.mirror.get<KubeObject>(sort.kind, 'default', name)).length;
    const limit = draw.whole(1, selected.length - 1);
    const collection = collectionOf(placeOf(sort, other));
    const page = (await session.ask(
      'GET',
      `${collection}?labelSelector=of%3D${of}&limit=${limit}`,
      200,
    )) as unknown as Page;
    expect(`the number of objects on a page of ${limit}`, page.items.length, limit);
    expect('whether another page follows', page.metadata.continue !== undefined, true);
    const { code, isRepeated } = await client.request(
      'DELETE',
      `${collection}?labelSelector=of%3D${of}&limit=${limit}`,
    );
    expect(`the answer to a deletion of ${limit}`, code, 200);
    // A retry does not delete what an attempt with a lost answer deleted.
    if (!isRepeated)
      expect(`the number left of ${selected.length} after a deletion of ${limit}`, left(), selected.length - limit);
    await session.ask('DELETE', `${collection}?labelSelector=of%3D${of}`, 200);
    expect(`the number left of ${selected.length}`, left(), 0);
    await session.ask('GET', placeOf(sort, other), 200);
    await session.ask('DELETE', `${collection}?labelSelector=of%3D${other}`, 200);
    await session.ask('GET', placeOf(sort, other), 404);
  },
};
