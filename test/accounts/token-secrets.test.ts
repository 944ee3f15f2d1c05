/** Secrets that the server fills with a token of a ServiceAccount. */
import { decodeJwt } from 'jose';
import { beforeEach, expect, it } from 'vitest';
import type { RightsWorld } from '../rights/world.ts';
import { accounts, createAccount, createAccountsWorld, secrets, textOf, tokenSecretOf, whoIs } from './world.ts';

let world: RightsWorld;
let uid: string;
beforeEach(async () => {
  world = createAccountsWorld();
  await world.root.get('/api/v1/namespaces');
  uid = (await createAccount(world, 'robot')).metadata.uid!;
});

const tokenIn = async (name: string) => textOf((await world.root.get(`${secrets}/${name}`)).body.data.token);

it('have a token without an end, which authenticates in every process', async () => {
  const { status, body } = await world.root.post(secrets, tokenSecretOf('robot-token', 'robot'));
  expect(status).toBe(201);
  expect(body.metadata).toMatchObject({
    annotations: { 'kubernetes.io/service-account.name': 'robot', 'kubernetes.io/service-account.uid': uid },
    ownerReferences: [{ apiVersion: 'v1', kind: 'ServiceAccount', name: 'robot', uid }],
  });
  expect(Object.keys(body.data).sort()).toEqual(['namespace', 'token']);
  expect(textOf(body.data.namespace)).toBe('default');
  const token = textOf(body.data.token);
  expect(decodeJwt(token)).toEqual({
    iss: 'kubernetes/serviceaccount',
    sub: 'system:serviceaccount:default:robot',
    'kubernetes.io/serviceaccount/namespace': 'default',
    'kubernetes.io/serviceaccount/secret.name': 'robot-token',
    'kubernetes.io/serviceaccount/service-account.name': 'robot',
    'kubernetes.io/serviceaccount/service-account.uid': uid,
  });
  await world.clock.advance(400 * 86_400_000);
  for (const from of ['as', 'elsewhere'] as const)
    expect(await whoIs(world, token, from)).toEqual({
      username: 'system:serviceaccount:default:robot',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
});

it('end their token when they are deleted or get another one', async () => {
  await world.root.post(secrets, tokenSecretOf('one', 'robot'));
  await world.root.post(secrets, tokenSecretOf('two', 'robot'));
  const [one, two] = [await tokenIn('one'), await tokenIn('two')];
  await world.root.patch(`${secrets}/one`, 'merge', { data: { token: Buffer.from('other').toString('base64') } });
  expect(await whoIs(world, one)).toBe(401);
  expect(await whoIs(world, two)).toMatchObject({ uid });
  await world.root.delete(`${secrets}/two`);
  await world.root.post(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'two' },
    stringData: { token: two },
  });
  expect(await whoIs(world, two)).toBe(401);
  expect(await whoIs(world, two, 'elsewhere')).toBe(401);
});

it('are filled again when a user removes what the server filled in', async () => {
  await world.root.post(secrets, tokenSecretOf('one', 'robot'));
  const { body } = await world.root.put(`${secrets}/one`, tokenSecretOf('one', 'robot'));
  expect(await whoIs(world, textOf(body.data.token))).toMatchObject({ uid });
});

it('end with their account', async () => {
  await world.root.post(secrets, tokenSecretOf('one', 'robot'));
  const token = await tokenIn('one');
  await world.root.delete(`${accounts}/robot`);
  expect(await whoIs(world, token)).toBe(401);
});

it.each([
  ['without an account', {}, 'metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  [
    'of an account that does not exist',
    { 'kubernetes.io/service-account.name': 'none' },
    'metadata.annotations[kubernetes.io/service-account.name]: Invalid value: "none": the ServiceAccount does not exist',
  ],
  [
    'of an account that was deleted since',
    { 'kubernetes.io/service-account.name': 'robot', 'kubernetes.io/service-account.uid': 'former' },
    'metadata.annotations[kubernetes.io/service-account.uid]: Invalid value: "former": the ServiceAccount robot has another uid',
  ],
])('%s are refused', async (_, annotations, message) => {
  const { body } = await world.root.post(secrets, tokenSecretOf('one', 'robot', { annotations }));
  expect(body).toMatchObject({ code: 422, message: expect.stringContaining(message) });
});
