/** Options of a fleet. */
import { parseArgs } from 'node:util';

export interface FleetOptions {
  clusters: number;
  controlPlanes: number;
  workers: number;
  keys: 'rsa' | 'ecdsa';
  /** `shared`: clusters in existing VPCs; `own`: each creates its own. */
  network: 'shared' | 'own';
  /** AWS regions for the clusters; each has its own request rates. */
  regions: number;
  /** Clusters in creation at a time, per region. */
  inFlight: number;
  /** Whether the account's request rates are limited. */
  throttling: boolean;
  /** `maxSurge` of the workers' rollout. */
  maxSurge: number;
  /** Duration of the idle phase. */
  idleHours: number;
  /** Whether a ClusterResourceSet applies an add-on to each cluster. */
  addOns: boolean;
  /** Whether DynamoDB's units are counted. */
  units: boolean;
  /** All clusters are created at once, on tables with DynamoDB's throughput limits; no other phase runs. */
  storm: boolean;
}

export const usage = `npm run bench:fleet -- [options]

  --clusters N         clusters (50)
  --control-planes C   control-plane machines of each (1)
  --workers W          workers of each (1)
  --keys rsa|ecdsa     keys of their certificates: RSA-2048 or ECDSA-P256 (ecdsa)
  --network shared|own clusters in a VPC that is there, or each in one that it makes (shared)
  --regions R          AWS regions that they are spread over (one for each hundred clusters, at most 16)
  --in-flight F        clusters created at a time in each region (50)
  --max-surge S        workers more than asked for while they are replaced (1)
  --no-throttling      an account without request rates
  --idle-hours H       how long it idles (24)
  --add-ons            one ClusterResourceSet selects them all
  --units              count what DynamoDB would bill, too, which takes time
  --storm              create all clusters at once on tables with DynamoDB's throughput limits
  --json               the phases as JSON`;

const natural = (name: string, text: string, least: number): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) throw new Error(`--${name} is a whole number from ${least}`);
  return value;
};
const oneOf = <T extends string>(name: string, text: string, choices: readonly T[]): T => {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new Error(`--${name} is one of ${choices.join(', ')}`);
  return found;
};

export const defaultRegions = (clusters: number): number => Math.min(16, Math.max(1, Math.ceil(clusters / 100)));

/** Throws an Error with the invalid arguments. */
export const parseOptions = (args: string[]): FleetOptions & { json: boolean; help: boolean } => {
  const { values } = parseArgs({
    args,
    options: {
      clusters: { type: 'string', default: '50' },
      'control-planes': { type: 'string', default: '1' },
      workers: { type: 'string', default: '1' },
      keys: { type: 'string', default: 'ecdsa' },
      network: { type: 'string', default: 'shared' },
      regions: { type: 'string' },
      'in-flight': { type: 'string', default: '50' },
      'max-surge': { type: 'string', default: '1' },
      'no-throttling': { type: 'boolean', default: false },
      'idle-hours': { type: 'string', default: '24' },
      'add-ons': { type: 'boolean', default: false },
      units: { type: 'boolean', default: false },
      storm: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const clusters = natural('clusters', values.clusters, 1);
  return {
    clusters,
    controlPlanes: natural('control-planes', values['control-planes'], 1),
    workers: natural('workers', values.workers, 0),
    keys: oneOf('keys', values.keys, ['rsa', 'ecdsa']),
    network: oneOf('network', values.network, ['shared', 'own']),
    regions: natural('regions', values.regions ?? String(defaultRegions(clusters)), 1),
    inFlight: natural('in-flight', values['in-flight'], 1),
    maxSurge: natural('max-surge', values['max-surge'], 1),
    throttling: !values['no-throttling'],
    idleHours: natural('idle-hours', values['idle-hours'], 0),
    addOns: values['add-ons'],
    units: values.units,
    storm: values.storm,
    json: values.json,
    help: values.help,
  };
};
