import { SSMClient } from '@aws-sdk/client-ssm';
import { beforeEach, expect, it } from 'vitest';
import { answering, refusing, type Sent } from '../service/answers.fixture.ts';
import { parameterMarker } from './parameter.ts';

let parameter: { Value: string; Tags: unknown } | undefined;
/** Every value that the parameter ever had. */
let history: string[];
let sent: Sent[];
let refusal: string | undefined;
const open = () => {
  const answered = answering(({ operation, body }) => {
    if (refusal) return refusing(refusal);
    if (operation === 'GetParameter')
      return parameter ? { body: { Parameter: { Value: parameter.Value } } } : refusing('ParameterNotFound');
    if (operation === 'GetParameterHistory') {
      const from = Number(body.NextToken ?? 0);
      const Parameters = history.slice(from, from + 2).map((Value) => ({ Value }));
      return { body: { Parameters, NextToken: from + 2 < history.length ? String(from + 2) : undefined } };
    }
    if (body.Overwrite && body.Tags) return refusing('ValidationException');
    if (parameter && !body.Overwrite) return refusing('ParameterAlreadyExists');
    parameter = { Value: String(body.Value), Tags: parameter?.Tags ?? body.Tags };
    history.push(parameter.Value);
    return { body: { Version: 1 } };
  });
  sent = answered.sent;
  return parameterMarker({ client: new SSMClient(answered.config), installation: 'here' });
};

beforeEach(() => {
  parameter = undefined;
  history = [];
  refusal = undefined;
});

it('reads what it wrote, and nothing before the first write', async () => {
  const marker = open();
  expect(await marker.read()).toBeUndefined();
  await marker.write({ position: 1, regions: ['eu-central-1'] });
  expect(await open().read()).toEqual({ position: 1, regions: ['eu-central-1'] });
});

it('tags the parameter in the call that creates it, and overwrites it in a single call afterwards', async () => {
  const marker = open();
  for (const position of [1, 2, 3]) await marker.write({ position, regions: [] });
  expect(sent.map(({ body }) => Boolean(body.Overwrite))).toEqual([false, true, true]);
  expect(parameter).toEqual({
    Value: '{"position":3,"regions":[]}',
    Tags: [{ Key: 'capstan.dev/control-plane', Value: 'here' }],
  });
});

it('overwrites a parameter that another process created meanwhile', async () => {
  const first = open();
  await first.read();
  await open().write({ position: 1, regions: [] });
  await first.write({ position: 2, regions: [] });
  expect(parameter?.Value).toBe('{"position":2,"regions":[]}');
});

it('finds the highest mark in the parameter history across pages, and skips invalid values', async () => {
  const marker = open();
  expect(await marker.furthest()).toBeUndefined();
  for (const position of [1, 2, 9, 3, 4]) await marker.write({ position, regions: [] });
  history.unshift('{}');
  expect(await marker.furthest()).toEqual({ position: 9, regions: [] });
  expect((await marker.read())?.position).toBe(4);
});

it.each([
  '',
  '{}',
  '{"position":"1","regions":[]}',
  '{"position":1}',
  '{"position":1.5,"regions":[]}',
  'null',
])('does not mistake the invalid value %j for a missing mark', async (Value) => {
  parameter = { Value, Tags: undefined };
  await expect(open().read()).rejects.toMatchObject({ code: 'InvalidMark' });
  await expect(open().furthest()).rejects.toMatchObject({ code: 'InvalidMark' });
});

it.each([
  'AccessDeniedException',
  'ThrottlingException',
  'InternalServerError',
])('does not mistake the error %s for a missing mark', async (name) => {
  refusal = name;
  await expect(open().read()).rejects.toMatchObject({ code: name });
  await expect(open().write({ position: 1, regions: [] })).rejects.toMatchObject({ code: name });
});
