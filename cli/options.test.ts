import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  anyNumber,
  clusterName,
  minutes,
  operationName,
  portNumber,
  positiveNumber,
  positiveWholeNumber,
  seconds,
  snapshotName,
} from './options.ts';

describe.each([
  { parse: positiveNumber, takes: ['1', '0.5', '60'], refuses: ['0', '-1', '', 'x', 'Infinity'] },
  { parse: positiveWholeNumber, takes: ['1', '99999'], refuses: ['0', '1.5', '-1', '', '1e3', '99999999999999999999'] },
  { parse: portNumber, takes: ['0', '1', '8443', '65535'], refuses: ['65536', '99999', '80.5', '-1', ''] },
  { parse: anyNumber, takes: ['0', '-7', '1.5'], refuses: ['', 'x', 'NaN'] },
])('$parse.name', ({ parse, takes, refuses }) => {
  it.each(takes)('accepts %s', (text) => expect(parse(text)).toBe(Number(text)));
  it.each(refuses)('rejects %j', (text) => expect(() => parse(text)).toThrow(InvalidArgumentError));
});

describe('a duration', () => {
  it.each([
    { text: '90', inSeconds: 90, inMinutes: 90 },
    { text: '90s', inSeconds: 90, inMinutes: 1.5 },
    { text: '0.5', inSeconds: 0.5, inMinutes: 0.5 },
    { text: '5m', inSeconds: 300, inMinutes: 5 },
    { text: '1h30m', inSeconds: 5400, inMinutes: 90 },
    { text: '1d', inSeconds: 86_400, inMinutes: 1440 },
  ])('is $text', ({ text, inSeconds, inMinutes }) =>
    expect([seconds(text), minutes(text)]).toEqual([inSeconds, inMinutes]));
  it.each(['', '0', '0s', '-5m', '5 m', 'm', '5x', '5m3', 'NaN', 'Infinity'])('is not %j', (text) => {
    expect(() => seconds(text)).toThrow(InvalidArgumentError);
    expect(() => minutes(text)).toThrow(InvalidArgumentError);
  });
});

describe('the name of an object', () => {
  it.each([
    { parse: clusterName, text: 'prod', name: 'prod' },
    { parse: clusterName, text: 'cluster/prod', name: 'prod' },
    { parse: clusterName, text: 'clusters.cluster.x-k8s.io/prod', name: 'prod' },
    { parse: operationName, text: 'clop/prod-upgrade-1', name: 'prod-upgrade-1' },
    { parse: snapshotName, text: 'esnap/prod-1', name: 'prod-1' },
    { parse: snapshotName, text: 'EtcdSnapshot/prod-1', name: 'prod-1' },
  ])('is $text', ({ parse, text, name }) => expect(parse(text)).toBe(name));
  it.each(['machine/prod', 'cluster/', 'cluster/a/b'])('of a cluster is not %j', (text) =>
    expect(() => clusterName(text)).toThrow('It must be the name of a cluster, or cluster/NAME.'));
});
