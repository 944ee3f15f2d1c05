/** Failures in a deployed installation, and their consequences. */
import { describe, expect, it } from 'vitest';
import { openAccount } from './account.ts';
import type { Installation } from './installation.ts';
import { deleted, machinesOf, settled, succeeded } from './life.story.ts';
import { annotated, production, quickstart } from './manifests.ts';

/** A pseudo-random, repeatable sequence. */
const sequence = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed / 2 ** 31;
};

export const failureStory = (installation: () => Installation) =>
  describe('when things go wrong', () => {
    it('tears down a cluster that cannot be launched, and leaves nothing', async () => {
      const { place, apply, until, ok } = installation();
      // Step Functions and EventBridge invoke a function again when it fails.
      const ofWorkflows = (name: string) => /-(operate|executions)$/.test(name);
      place.emulator?.disturb({ functions: ofWorkflows, chance: 1, within: 0, most: 4, random: sequence(7) });
      const manifest = annotated(quickstart('refused', place.region), { 'capstan.dev/create-deadline': '60s' });
      // The type is offered and has capacity, but this account may not use the instance profile.
      await apply(manifest.replaceAll('nodes.cluster-api-provider-aws.sigs.k8s.io', 'nobodys-profile'));
      const phase = () => ok('get', 'clop', 'refused-create-1', '-o', 'jsonpath={.status.phase}', '--ignore-not-found');
      await until('it is torn down', phase, (seen) => seen === 'TornDown');
      place.emulator?.disturb(undefined);
      const { left } = openAccount(place);
      expect(await left(place.region)).toEqual([]);
      expect(await ok('get', 'cluster', 'refused', '-o', 'name')).toContain('refused');
      await deleted(installation(), manifest);
    });

    it('launches one instance per machine despite killed functions and duplicate messages', async () => {
      const { place, apply, until, command } = installation();
      const { emulator } = place;
      if (!emulator) return;
      const functions = (name: string) => /-(dispatch|reconcile-\w+|operate|executions|instances|sweep)$/.test(name);
      const manifest = production(place.region);
      const machines = () => machinesOf(installation(), 'production');
      emulator.disturb({ functions, chance: 0.025, within: 200, most: 8, random: sequence(7) });
      emulator.duplicateMessages(true);
      try {
        await apply(manifest);
        await until('the first machine', machines, (seen) => seen.length > 0);
        // An update in the middle: running work continues in functions of the new version.
        const again = await command('deploy', '--region', place.region, '--context', 'logRetentionDays=7');
        expect(again.code, again.stderr).toBe(0);
        // The messages of killed functions become visible again, one after the other at worst.
        await settled(installation(), 'production', 25);
      } finally {
        emulator.disturb(undefined);
        emulator.duplicateMessages(false);
      }
      const { instances, left } = openAccount(place);
      const launched = (await instances(place.region)).filter(({ machine }) => machine.includes('production'));
      expect(new Set(launched.map(({ machine }) => machine)).size).toBe(launched.length);
      expect((await machines()).length).toBe(6);
      await succeeded(installation());
      const counts = Object.values(emulator.counts());
      expect(counts.reduce((sum, { killed }) => sum + killed, 0)).toBeGreaterThan(3);
      expect(counts.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBeGreaterThan(20);
      await deleted(installation(), manifest);
      expect(await left(place.region)).toEqual([]);
    });

    it('continues with the state of a killed account', async () => {
      const { place, apply, ok } = installation();
      const { emulator } = place;
      if (!emulator) return;
      await ok('create', 'configmap', 'kept', '--from-literal=a=b');
      await emulator.ministack.stop();
      const { code, stderr } = await installation().kubectl('get', 'configmap', 'kept', '--request-timeout=20s');
      expect([code, stderr]).not.toEqual([0, '']);
      await emulator.ministack.start();
      await installation().until(
        'it answers again',
        () => installation().kubectl('get', 'configmap', 'kept', '-o', 'jsonpath={.data.a}'),
        (seen) => seen.stdout === 'b',
      );
      await apply(
        JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' }, data: { a: 'c' } }),
      );
      await ok('delete', 'configmap', 'kept');
    });

    it('prints no secret', async () => {
      const { place, ok } = installation();
      if (!place.emulator) return;
      const canary = 'canary-8f1c2d';
      await ok('create', 'secret', 'generic', 'canary', `--from-literal=value=${canary}`);
      await ok('delete', 'secret', 'canary');
      const text = place.emulator
        .lines()
        .map(({ line }) => line)
        .join('\n');
      for (const secret of [
        canary,
        Buffer.from(canary).toString('base64'),
        'k8s-aws-v1.',
        'BEGIN RSA',
        'BEGIN EC',
        'BEGIN PRIVATE',
      ])
        expect(text.includes(secret), secret).toBe(false);
    });
  });
