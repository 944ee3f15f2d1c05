/** EBS's limits by volume type, from its pages on volume types. Sizes are in GiB. */

export interface VolumeLimits {
  size: readonly [least: number, most: number];
  /** Absent where the type has a fixed number. */
  iops?: readonly [least: number, most: number];
  iopsPerGib?: number;
  /** MiB a second; absent where the type has a fixed throughput. */
  throughput?: readonly [least: number, most: number];
  throughputPerIops?: number;
  /** An instance cannot boot from it. */
  isDataOnly?: true;
}

/** IOPS of a gp3 volume that names none. */
export const baselineIops = 3000;

export const volumeLimits: Readonly<Record<string, VolumeLimits>> = {
  standard: { size: [1, 1024] },
  gp2: { size: [1, 16_384] },
  gp3: {
    size: [1, 65_536],
    iops: [baselineIops, 80_000],
    iopsPerGib: 500,
    throughput: [125, 2000],
    throughputPerIops: 0.25,
  },
  io1: { size: [4, 16_384], iops: [100, 64_000], iopsPerGib: 50 },
  io2: { size: [4, 65_536], iops: [100, 256_000], iopsPerGib: 1000 },
  st1: { size: [125, 16_384], isDataOnly: true },
  sc1: { size: [125, 16_384], isDataOnly: true },
};
