import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../../machinery/api/errors.ts';
import { boundsOf, settingsOf } from '../../common/autoscale/annotations.ts';
import { defaultReplicas } from '../../common/replicas.ts';
import { unknownAutoscale } from './unknown.ts';
import { validateAutoscale } from './validate.ts';

type Given = Record<string, string>;
const object = (annotations: Given) => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name: 'workers', annotations },
});
const own = (min: string, max: string) => ({ 'capstan.dev/autoscale-min': min, 'capstan.dev/autoscale-max': max });
const theirs = (min: string, max: string) => ({
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': min,
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': max,
});
const enabled = (value: string) => ({ 'capstan.dev/autoscale': value });
const option = (name: string, value: string) => ({ [`cluster.x-k8s.io/autoscaling-options-${name}`]: value });
const faultsOf = (given: Given) =>
  validateAutoscale(object(given)).map((fault) => `${fault.field}: ${fieldMessage(fault)}`);

describe('a pool', () => {
  it.each<{ rule: string; given: Given; bounds: object | undefined }>([
    { rule: "opts in by Capstan's sizes", given: own('0', '5'), bounds: { min: 0, max: 5 } },
    {
      rule: "opts in with cluster-autoscaler's sizes if it hands them over",
      given: { ...theirs('1', '9'), ...enabled('true') },
      bounds: { min: 1, max: 9 },
    },
    {
      rule: "has Capstan's sizes rather than cluster-autoscaler's",
      given: { ...theirs('1', '9'), ...own('2', '3'), ...enabled('true') },
      bounds: { min: 2, max: 3 },
    },
    { rule: 'belongs to cluster-autoscaler by its sizes alone', given: theirs('1', '9'), bounds: undefined },
    { rule: 'opts out explicitly', given: { ...own('0', '5'), ...enabled('false') }, bounds: undefined },
    { rule: 'did not opt in without sizes', given: {}, bounds: undefined },
    { rule: 'is not scaled between malformed sizes', given: own('0', 'five'), bounds: undefined },
    { rule: 'is not scaled between sizes in the wrong order', given: own('5', '0'), bounds: undefined },
  ])('$rule', ({ given, bounds }) => expect(boundsOf(object(given))).toEqual(bounds));

  it('has options in milliseconds and shares, and ignores malformed ones', () => {
    const given = {
      ...option('scaledownunneededtime', '1m30s'),
      ...option('scaledownutilizationthreshold', '.25'),
      ...option('maxnodeprovisiontime', 'soon'),
      'capstan.dev/autoscale-removed-percent': '20',
    };
    expect(settingsOf(object(given))).toEqual({ unneededTime: 90_000, utilizationThreshold: 0.25, removedPercent: 20 });
  });

  it.each([
    { rule: "starts with Capstan's minimum", given: own('3', '5'), old: undefined, is: 3 },
    { rule: "keeps its size within Capstan's sizes", given: own('1', '5'), old: 4, is: 4 },
    { rule: 'is clamped to its maximum', given: own('1', '5'), old: 9, is: 5 },
    { rule: "starts with cluster-autoscaler's minimum", given: theirs('2', '5'), old: undefined, is: 2 },
  ])('$rule without replicas', ({ given, old, is }) => {
    const before = old === undefined ? undefined : { ...object(given), spec: { replicas: old } };
    expect(defaultReplicas({ ...object(given), spec: {} }, before)).toBe(is);
  });
});

describe('admission', () => {
  const at = (name: string) => `metadata.annotations[${name}]`;
  const both = 'capstan.dev/autoscale-min and capstan.dev/autoscale-max must be set together';
  it.each<{ rule: string; given: Given; faults: string[] }>([
    {
      rule: 'a pool with sizes and options',
      given: { ...own('0', '5'), ...option('scaledownunneededtime', '5m') },
      faults: [],
    },
    {
      rule: "cluster-autoscaler's malformed options on its own pools",
      given: option('maxnodeprovisiontime', 'x'),
      faults: [],
    },
  ])('accepts $rule', ({ given, faults }) => expect(faultsOf(given)).toEqual(faults));

  it.each<{ rule: string; given: Given; faults: string[] }>([
    {
      rule: 'a size that is no number',
      given: own('0', 'many'),
      faults: [
        `${at('capstan.dev/autoscale-max')}: Invalid value: "many": must be an integer between 0 and 2147483647`,
      ],
    },
    {
      rule: 'a negative size',
      given: own('-1', '5'),
      faults: [`${at('capstan.dev/autoscale-min')}: Invalid value: "-1": must be an integer between 0 and 2147483647`],
    },
    {
      rule: 'a maximum below the minimum',
      given: own('3', '2'),
      faults: [
        `${at('capstan.dev/autoscale-max')}: Invalid value: "2": must be greater than or equal to capstan.dev/autoscale-min`,
      ],
    },
    {
      rule: 'a minimum alone',
      given: { 'capstan.dev/autoscale-min': '1' },
      faults: [`${at('capstan.dev/autoscale-max')}: Required value: ${both}`],
    },
    {
      rule: 'a pool without sizes',
      given: enabled('true'),
      faults: ['min', 'max'].map(
        (name) =>
          `${at(`cluster.x-k8s.io/cluster-api-autoscaler-node-group-${name}-size`)}: Required value: cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size and cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size must be set together`,
      ),
    },
    {
      rule: 'another value of the opt-in',
      given: enabled('yes'),
      faults: [`${at('capstan.dev/autoscale')}: Unsupported value: "yes": supported values: "false", "true"`],
    },
    {
      rule: 'a malformed duration',
      given: { ...own('0', '5'), ...option('scaledownunneededtime', '10') },
      faults: [
        `${at('cluster.x-k8s.io/autoscaling-options-scaledownunneededtime')}: Invalid value: "10": must be a duration that is not negative, such as '10m' or '1h30m'`,
      ],
    },
    {
      rule: 'a threshold above one',
      given: { ...own('0', '5'), ...option('scaledownutilizationthreshold', '50') },
      faults: [
        `${at('cluster.x-k8s.io/autoscaling-options-scaledownutilizationthreshold')}: Invalid value: "50": must be a number between 0 and 1`,
      ],
    },
    {
      rule: 'a share of no nodes',
      given: { ...own('0', '5'), 'capstan.dev/autoscale-removed-percent': '0' },
      faults: [
        `${at('capstan.dev/autoscale-removed-percent')}: Invalid value: "0": must be an integer between 1 and 100`,
      ],
    },
    {
      rule: 'a malformed capacity',
      given: { ...own('0', '5'), 'capacity.cluster-autoscaler.kubernetes.io/memory': '16 GB' },
      faults: [
        `${at('capacity.cluster-autoscaler.kubernetes.io/memory')}: Invalid value: "16 GB": must be a quantity that is not negative, such as 4 or 16Gi`,
      ],
    },
    ...(
      [
        [
          'taints',
          'foo',
          'must be taints with commas between them, such as team=red:NoSchedule; effects are NoSchedule, PreferNoSchedule, NoExecute',
        ],
        [
          'taints',
          'team=red:Sometimes',
          'must be taints with commas between them, such as team=red:NoSchedule; effects are NoSchedule, PreferNoSchedule, NoExecute',
        ],
        ['labels', 'disk', 'must be labels with commas between them, such as disk=ssd,example.com/team=red'],
      ] as const
    ).map(([name, value, detail]) => ({
      rule: `the ${name} ${value}`,
      given: { ...own('0', '5'), [`capacity.cluster-autoscaler.kubernetes.io/${name}`]: value },
      faults: [`${at(`capacity.cluster-autoscaler.kubernetes.io/${name}`)}: Invalid value: "${value}": ${detail}`],
    })),
    {
      rule: 'a malformed entry of a schedule',
      given: { ...own('0', '5'), 'capstan.dev/autoscale-schedule': '0 8 * * * duration=1h min=1 timeZone=Mars' },
      faults: [
        `${at('capstan.dev/autoscale-schedule')}[0].timeZone: Invalid value: "Mars": must be a time zone such as Europe/Berlin`,
      ],
    },
    {
      rule: 'a schedule of a pool that did not opt in',
      given: { 'capstan.dev/autoscale-schedule': '0 8 * * * duration=1h min=1' },
      faults: [
        `${at('capstan.dev/autoscale-min')}: Required value: capstan.dev/autoscale-schedule is an option of a pool with sizes`,
      ],
    },
  ])('refuses $rule', ({ given, faults }) => expect(faultsOf(given)).toEqual(faults));

  it.each(['pods=3 cpu=2 memory=4Gi', 'cpu=500m', 'pods=1,nvidia.com/gpu=1'])('accepts the headroom %s', (text) =>
    expect(faultsOf({ ...own('0', '5'), 'capstan.dev/autoscale-headroom': text })).toEqual([]));
  it.each([
    '',
    'pods=3',
    'pods=0 cpu=1',
    'pods=1001 cpu=1',
    'cpu=1 cpu=2',
    'cpu=two',
    'cpu=-1',
    'cpu',
    '4 cpu',
    'cpu=2=4',
  ])('refuses the headroom "%s"', (text) =>
    expect(faultsOf({ ...own('0', '5'), 'capstan.dev/autoscale-headroom': text })).toEqual([
      `${at('capstan.dev/autoscale-headroom')}: Invalid value: ${JSON.stringify(text)}: must be pods=<1 to 1000> and the requests of one of them, such as "pods=3 cpu=2 memory=4Gi"`,
    ]));

  it.each([
    'true',
    'false',
    'saving=20%',
    'saving=20% payback=30m,age=1h evictions=5%',
  ])('accepts the consolidation %s', (text) =>
    expect(faultsOf({ ...own('0', '5'), 'capstan.dev/autoscale-consolidate': text })).toEqual([]));
  it.each([
    '',
    'yes',
    'saving',
    'saving=20',
    'saving=0%',
    'saving=101%',
    'age=9m',
    'payback=1',
    'saving=10% saving=20%',
    'true saving=10%',
    'toString=1',
    'saving=10%=20%',
  ])('refuses the consolidation "%s"', (text) =>
    expect(faultsOf({ ...own('0', '5'), 'capstan.dev/autoscale-consolidate': text })).toEqual([
      `${at('capstan.dev/autoscale-consolidate')}: Invalid value: ${JSON.stringify(text)}: must be "true", "false" or conditions such as "saving=10% payback=1h age=10m evictions=1%", with an age of at least 10m`,
    ]));

  it('keeps the schedule of a pool that is not scaled for now', () =>
    expect(faultsOf({ ...enabled('false'), 'capstan.dev/autoscale-schedule': 'x' })).toEqual([]));
});

describe('a setting that its object does not have', () => {
  const known = ['capstan.dev/autoscale-max-vcpu'];
  const misspelt = object({ 'capstan.dev/autoscale-max-cpu': '8' });
  it('is refused with those that it has', () =>
    expect(unknownAutoscale(misspelt, undefined, known).map(({ field, detail }) => `${field}: ${detail}`)).toEqual([
      'metadata.annotations[capstan.dev/autoscale-max-cpu]: a MachineDeployment has no such setting; it has autoscale-max-vcpu',
    ]));
  it.each([
    'capstan.dev/auto-scale-max',
    'capstan.dev/autoScaleMax',
    'capstan.dev/autoscaling-max',
  ])('is refused as %s', (name) => expect(unknownAutoscale(object({ [name]: '8' }), undefined, known)).toHaveLength(1));
  it('is kept where it is stored', () => expect(unknownAutoscale(misspelt, misspelt, known)).toEqual([]));
  it('is none of other names', () =>
    expect(unknownAutoscale(object({ [known[0]!]: '8', 'capstan.dev/preserve': '1h' }), undefined, known)).toEqual([]));
});
