/** Objects return to an earlier state, while their AWS resources stay unchanged. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openAccount } from './account.ts';
import type { Installation } from './installation.ts';
import { deleted, machinesOf, settled } from './life.story.ts';
import { quickstart } from './manifests.ts';

const workers = 'machinedeployment/quickstart-workers';

export const restoreStory = (installation: () => Installation) =>
  describe('capstan restore', () => {
    const region = () => installation().place.region;
    const running = async () =>
      (await openAccount(installation().place).instances(region())).filter(({ state }) => state === 'running');
    const capstan = async (...args: string[]) => {
      const { code, stdout, stderr } = await installation().capstan(...args);
      expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
      return stdout;
    };
    let before: string[];

    it('shows the differences, and writes nothing without --yes', async () => {
      // Point-in-time recovery on AWS ends five minutes before now, and takes minutes more.
      if (!installation().place.emulator) return;
      const { ok } = installation();
      before = await machinesOf(installation(), 'quickstart');
      await delay(1_000);
      const moment = new Date().toISOString();
      await delay(1_000);
      await ok('scale', workers, '--replicas=3');
      await ok('create', 'configmap', 'newer');
      await ok('delete', 'clusterresourceset', 'cloud-controller-manager');
      await settled(installation(), 'quickstart');
      const shown = await capstan('restore', '--region', region(), '--time', moment);
      expect(shown).toMatch(/brought back:(\n {4}.*)*ClusterResourceSet default\/cloud-controller-manager/);
      expect(shown).toMatch(/changed back:(\n {4}.*)*MachineDeployment default\/quickstart-workers/);
      expect(shown).toMatch(/removed \(made since then\):(\n {4}.*)*ConfigMap default\/newer/);
      expect((await machinesOf(installation(), 'quickstart')).length).toBe(before.length + 1);
      const [, table = ''] = /--from-table (\S+)/.exec(shown) ?? [];
      const written = await capstan('restore', '--region', region(), '--from-table', table, '--yes');
      expect(written).toContain('The installation freezes');
    });

    it('leaves the installation frozen, with dispatch working', async () => {
      if (!installation().place.emulator) return;
      const { ok, until } = installation();
      expect(await machinesOf(installation(), 'quickstart')).toEqual(before);
      expect(await ok('get', 'configmaps,clusterresourcesets', '-o', 'name')).not.toContain('newer');
      await until(
        'it reports the freeze',
        () => capstan('status'),
        (seen) => /^frozen +YES/m.test(seen),
      );
      // It fails, because the installation is frozen.
      const { stdout } = await installation().capstan('doctor');
      expect(stdout).toMatch(/^ok +stream +changes are dispatched/m);
      expect(stdout).toMatch(/^FAILED +installation /m);
      await ok('scale', workers, '--replicas=3');
      await delay(10_000);
      expect((await running()).length).toBe(before.length + 1);
    });

    it('acts again after a thaw, and leaves orphans to the user', async () => {
      if (!installation().place.emulator) return;
      expect(await capstan('thaw')).toContain('is lifted');
      await installation().until(
        'the machine that was asked for while frozen',
        async () => (await running()).length,
        (seen) => seen === before.length + 2,
      );
      await settled(installation(), 'quickstart');
      const known = new Set((await machinesOf(installation(), 'quickstart')).map((one) => `default/${one}`));
      const orphaned = (await running()).filter(({ machine }) => !known.has(machine)).map(({ id }) => id);
      expect(orphaned.length).toBe(1);
      expect(await capstan('orphans', 'list')).toMatch(/1 owner is missing|instance +i-/);
      await openAccount(installation().place).terminate(region(), orphaned);
      await deleted(installation(), quickstart('quickstart', region()));
    });
  });
