import { type NotActedOn, warnNotActedOn } from '../common/not-acted-on.ts';
import { clusterNotActedOn } from './aws-cluster/not-acted-on.ts';
import { machineNotActedOn } from './aws-machine/not-acted-on.ts';
import { poolNotActedOn } from './aws-machine-pool/not-acted-on.ts';

export const awsNotActedOn: NotActedOn[] = [...clusterNotActedOn, ...machineNotActedOn, ...poolNotActedOn];
export const warnUnheeded = warnNotActedOn(awsNotActedOn);
