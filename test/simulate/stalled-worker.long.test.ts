import { expect, it } from 'vitest';
import { play, type Script } from './script.ts';

/** Requests a second worker; the Capstan worker that creates it freezes. */
const standStill = async ({ client, desired, arm, until, settle, hasStruck }: Script) => {
  await settle();
  arm();
  desired.workers = 2;
  await client.scale('MachineDeployment', 'c0-workers', 2);
  await until('it stands still', hasStruck);
};
/** Scales back to one worker. */
const scaleBack = async ({ client, desired }: Script) => {
  desired.workers = 1;
  await client.scale('MachineDeployment', 'c0-workers', 1);
};

it('terminates an instance launched by a stale worker for a deleted machine', () =>
  play({ at: 'before cloud.RunInstances', minutes: 30 }, true, async (script) => {
    const { pass, until, names, resources } = script;
    await standStill(script);
    const before = resources('instance');
    await scaleBack(script);
    await pass(10);
    expect(names('AWSMachine')).toHaveLength(2);
    expect(resources('instance')).toEqual(before);
    await until('it goes on', () => resources('instance').length === 3);
    await pass(20);
    expect(resources('instance')).toEqual(before);
  }));

it('deletes a cluster with an instance launched by a stale worker for a deleted machine', () =>
  play({ at: 'before cloud.RunInstances', minutes: 10 }, true, async (script) => {
    const { client, pass, until, names, resources } = script;
    await standStill(script);
    await scaleBack(script);
    await until('it goes on', () => resources('instance').length === 3);
    await client.remove('Cluster', 'c0');
    await pass(20);
    expect(names('Cluster')).toEqual([]);
    expect(resources('instance')).toEqual([]);
  }));

it('deletes a secret created by a stale worker after the last cluster was gone', () =>
  play({ at: 'before cloud.CreateSecret', minutes: 90 }, true, async (script) => {
    const { client, pass, until, names, resources, called } = script;
    await standStill(script);
    await client.remove('Cluster', 'c0');
    await pass(60);
    expect(names('Cluster')).toEqual([]);
    expect(resources('secret')).toEqual([]);
    const before = called('CreateSecret');
    await until('it goes on', () => called('CreateSecret') > before);
    await pass(40);
    expect(resources('secret')).toEqual([]);
  }));

it('keeps one of two instances when a failed launch that was replaced succeeds later', () =>
  play({ at: 'before cloud.RunInstances', minutes: 20 }, true, async (script) => {
    const { pass, refuse, until, settle, resources } = script;
    await standStill(script);
    const before = resources('instance');
    const relent = refuse('RunInstances', 'InsufficientInstanceCapacity');
    await pass(10);
    expect(resources('instance')).toEqual(before);
    relent();
    await until('another attempt succeeds', () => resources('instance').length === 3);
    const after = resources('instance');
    await until('the first one succeeds, too', () => resources('instance').length === 4);
    await pass(20);
    expect(resources('instance')).toEqual(after);
    await settle();
  }));
