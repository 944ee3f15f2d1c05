/** The stacks deployed by hand with the pinned CDK, as a user of `cdk` does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAccount } from './account.ts';
import type { Outcome } from './command.ts';
import type { Installation } from './installation.ts';

const stack = 'Capstan-capstan';
const context = (settings: Record<string, string>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['--context', `${name}=${value}`]);

const withoutCredentials = {
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_EC2_METADATA_DISABLED: 'true',
};

export const cdkStory = (installation: () => Installation) =>
  describe('the CDK by hand', () => {
    const cdk = (...args: string[]) => installation().cdk(args);
    const deploy = (settings: Record<string, string> = {}, app: readonly string[] = []) =>
      cdk('deploy', stack, '--exclusively', '--require-approval', 'never', ...app, ...context(settings));
    const outputOf = ({ stdout, stderr }: Outcome) => `${stdout}${stderr}`;
    const succeeds = async (outcome: Promise<Outcome>): Promise<string> => {
      const found = await outcome;
      expect(found.code, outputOf(found)).toBe(0);
      return outputOf(found);
    };
    const status = async () => (await installation().kubectl('get', 'namespaces', '-o', 'name')).code;
    let elsewhere: string;
    let administrators: string;
    beforeAll(async () => {
      administrators = await openAccount(installation().place).caller();
      elsewhere = mkdtempSync(join(tmpdir(), 'capstan-e2e-cdk-'));
    });
    afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

    it('prepares the account, and synthesises and compares without any setting', async () => {
      await succeeds(cdk('bootstrap'));
      await succeeds(cdk('synth', stack, '--quiet'));
      expect(await succeeds(cdk('diff', stack, '--method', 'template'))).toContain('Custom::CapstanSettings');
    });

    it('deploys nothing without administrators, and says how to name them', async () => {
      const refused = await deploy();
      expect(refused.code).not.toBe(0);
      expect(outputOf(refused)).toContain('--context administrators=arn:aws:iam::');
    });

    it('deploys an API that its administrators use', async () => {
      await succeeds(deploy({ administrators, viewers: `${administrators}-viewer`, logRetentionDays: '7' }));
      await installation().login();
      await installation().ok('create', 'namespace', 'kept');
    });

    it('keeps the settings of the installation, and finds no difference', async () => {
      expect(await succeeds(cdk('diff', stack, '--method', 'template'))).toMatch(/no differences/i);
      expect(await succeeds(deploy())).toContain('no changes');
    });

    it('changes a setting that the user names, and no other', async () => {
      await succeeds(deploy({ logRetentionDays: '14' }));
      expect(await status()).toBe(0);
      expect(await succeeds(cdk('diff', stack, '--method', 'template', ...context({ viewers: '' })))).toContain(
        '-viewer',
      );
    });

    it('refuses a template that was made without knowing the installation, and undoes all of it', async () => {
      const synth = ['synth', stack, '--quiet', '--output', elsewhere, ...context({ administrators })];
      await succeeds(installation().cdk(synth, withoutCredentials));
      const refused = await deploy({}, ['--app', elsewhere]);
      expect(refused.code).not.toBe(0);
      expect(outputOf(refused)).toMatch(
        /does not name settings that it would change: .*viewers from ".*-viewer" to its default/,
      );
      expect(await installation().ok('get', 'namespace', 'kept', '-o', 'name')).toContain('kept');
      expect(await succeeds(cdk('diff', stack, '--method', 'template'))).toMatch(/no differences/i);
    });

    it('does not destroy an installation with a cluster', async () => {
      const { kubectlOf, ok, until } = installation();
      const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name: 'alive' };
      const cluster = {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        metadata: { name: 'alive' },
        spec: { paused: true, infrastructureRef },
      };
      expect((await kubectlOf(JSON.stringify(cluster), 'create', '-f', '-')).code).toBe(0);
      await cdk('destroy', stack, '--exclusively', '--force');
      expect(await ok('get', 'cluster', 'alive', '-o', 'name')).toContain('alive');
      await ok('patch', 'cluster', 'alive', '--type=merge', '-p', '{"spec":{"paused":false}}');
      await ok('delete', 'cluster', 'alive', '--wait=false');
      const names = () => ok('get', 'clusters', '-o', 'name');
      await until('the cluster is gone', names, (seen) => seen === '', 3);
    });

    it('destroys an empty one', async () => {
      await succeeds(cdk('destroy', stack, '--exclusively', '--force'));
      expect(await status()).not.toBe(0);
    });
  });
