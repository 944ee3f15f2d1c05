/** More open watches than the account allows concurrent functions, as with dashboards and GitOps controllers. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Running } from './command.ts';
import type { Installation } from './installation.ts';
import { settled } from './life.story.ts';
import { quickstart } from './manifests.ts';

const kinds = ['clusters', 'machines', 'machinedeployments', 'machinesets', 'awsclusters', 'awsmachines'];
const watches = 30;
/** Milliseconds between two new watches, and between two requests. */
const [apart, sample] = [500, 2_000];

export const crowdStory = (installation: () => Installation) =>
  describe('thirty open watches', () => {
    const open: Running[] = [];
    const close = () => Promise.all(open.splice(0).map((one) => one.stop()));
    afterAll(close);

    it('leave enough concurrency to answer requests and create a cluster', async () => {
      const { apply, kubectl, watch, until, place } = installation();
      for (let n = 0; n < watches; n++) {
        open.push(watch('get', kinds[n % kinds.length]!, '--all-namespaces', '--watch'));
        await delay(apart);
      }
      await apply(quickstart('quickstart', place.region));
      let isOver = false;
      const failed: string[] = [];
      const asking = (async () => {
        while (!isOver) {
          const { code, stderr } = await kubectl('get', 'clusters');
          if (code !== 0) failed.push(stderr);
          await delay(sample);
        }
      })();
      await settled(installation(), 'quickstart');
      isOver = true;
      await asking;
      expect(failed).toEqual([]);
      // Without a free place a watch waits as its 429 says, instead of failing. A watch ends at its timeout.
      expect(open.map((one) => one.printed()).filter((seen) => /^error/im.test(seen))).toEqual([]);
      await until(
        'an open watch reports the cluster',
        async () => open.map((one) => one.printed()).join('\n'),
        (seen) => seen.includes('quickstart'),
      );
    });

    it('release their places when their clients disconnect', async () => {
      const { watch, until } = installation();
      await close();
      open.push(watch('get', 'clusters', '--watch'), watch('get', 'machines', '--watch-only', '--output-watch-events'));
      await until(
        'a new watch lists the cluster',
        async () => open.map((one) => one.printed()),
        ([clusters]) => /quickstart/.test(clusters ?? ''),
      );
      const { ok } = installation();
      await until(
        'another one reports a change',
        async () => {
          await ok('label', 'machines', '--all', '--overwrite', `seen=${Date.now()}`);
          return open.map((one) => one.printed());
        },
        ([, machines]) => /MODIFIED/.test(machines ?? ''),
        // Less than the five minutes of a place that is not released. A refused watch retries after half a minute.
        2,
      );
      await close();
    });
  });
