/** Instances of all regions. A region with load balancers is polled often, others rarely. */
import {
  DescribeLoadBalancersCommand as DescribeClassic,
  ElasticLoadBalancingClient,
} from '@aws-sdk/client-elastic-load-balancing';
import { DescribeLoadBalancersCommand, ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { partitions } from '../../adapters/aws/identity/hosts.ts';
import type { Storage } from '../../simulation/ports.ts';
import type { Names } from '../host/messages.ts';
import { type Player, type PlayerOptions, playInstances } from './index.ts';

export interface RegionsOptions extends Omit<PlayerOptions, 'region' | 'storage'> {
  /** Polled often from the start. */
  region: string;
  open: (region: string) => Storage & { close(): void };
}

export interface Regions {
  names(): Names;
  /** Console output of an instance; undefined for an unknown id. */
  console(instanceId: string): string | undefined;
  close(): Promise<void>;
}

const interval = 10_000;

export const playRegions = ({ open, ...options }: RegionsOptions): Regions => {
  const players = new Map<string, { player: Player; storage: { close(): void } }>();
  const follow = (region: string) => {
    const storage = open(region);
    players.set(region, { player: playInstances({ ...options, region, storage }), storage });
  };
  const isInUse = async (region: string): Promise<boolean> => {
    const credentials = { accessKeyId: 'emulator', secretAccessKey: 'emulator' };
    const config = { endpoint: options.compute, region, credentials };
    const client = new ElasticLoadBalancingV2Client(config);
    const classic = new ElasticLoadBalancingClient(config);
    try {
      const { LoadBalancers = [] } = await client.send(new DescribeLoadBalancersCommand({ PageSize: 1 }));
      if (LoadBalancers.length > 0) return true;
      const { LoadBalancerDescriptions = [] } = await classic.send(new DescribeClassic({ PageSize: 1 }));
      return LoadBalancerDescriptions.length > 0;
    } finally {
      client.destroy();
      classic.destroy();
    }
  };

  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let current = Promise.resolve();
  const round = async () => {
    for (const region of partitions.aws!.regions) {
      if (isClosed) return;
      if (players.has(region)) continue;
      // A region that does not answer is polled again.
      if (await isInUse(region).catch(() => false)) follow(region);
    }
    timer = setTimeout(next, interval);
  };
  const next = () => {
    current = round();
  };
  follow(options.region);
  next();

  const all = () => [...players.values()];
  return {
    names: () => Object.assign({}, ...all().map(({ player }) => player.names())) as Names,
    console: (instanceId) =>
      all()
        .map(({ player }) => player.guests.console(instanceId))
        .find((text) => text !== ''),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await current;
      for (const { player, storage } of all()) {
        await player.close();
        storage.close();
      }
    },
  };
};
