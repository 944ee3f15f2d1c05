import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { settings } from '../lambda/clients.ts';

/** Apart from the other clients, because few functions load it. */
export const cloudFormation = (): CloudFormationClient => new CloudFormationClient(settings);
