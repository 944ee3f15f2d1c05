/**
 * The record of a launch. The infrastructure provider writes it on its machine before it requests a
 * host, so that other controllers know that a host may exist that has not been observed yet. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';

/** JSON of a LaunchRecord. Reserved for controllers. */
export const launchAnnotation = 'capstan.dev/launch';

export interface LaunchRecord {
  /**
   * uid of the infrastructure machine: a copy of its YAML has another uid, so the record is ignored
   * there.
   */
  machine: string;
  /** The launch created no host, and never will. */
  cameToNothing?: true;
}

export const launchOf = <T extends LaunchRecord = LaunchRecord>(metadata: {
  uid?: string;
  annotations?: Record<string, string>;
}): T | undefined => {
  try {
    const launch = JSON.parse(metadata.annotations?.[launchAnnotation] ?? 'null') as T | null;
    return launch && launch.machine === metadata.uid ? launch : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Whether a host may have been launched for an infrastructure machine, even if no controller has
 * observed it yet.
 */
export const mayHaveLaunched = ({ metadata }: KubeObject): boolean => {
  const launch = launchOf(metadata);
  return launch !== undefined && !launch.cameToNothing;
};
