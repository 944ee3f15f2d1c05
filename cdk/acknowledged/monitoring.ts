import type { Acknowledgement } from './acknowledge.ts';

export const inMonitoring: readonly Acknowledgement[] = [
  {
    rules: ['NIST.800.53.R5-SNSEncryptedKMS'],
    of: ['Alarms'],
    reason:
      'What is published is what an alarm is called and means; a key for it would cost more than all alarms together.',
  },
  {
    rules: ['Serverless-SNSRedrivePolicy'],
    of: ['Alarms'],
    reason: 'Mail is the only subscriber, and has no dead letters.',
  },
];
