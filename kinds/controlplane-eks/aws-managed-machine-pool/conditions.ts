/** Conditions of an AWSManagedMachinePool, with the AWS provider's types and reasons. */
export const nodegroupReady = 'EKSNodegroupReady';
export const rolesReady = 'IAMNodegroupRolesReady';
export const reconciliationFailed = 'EKSNodegroupReconciliationFailed';
export const rolesCreating = 'IAMNodegroupRolesCreating';
export const rolesFailed = 'IAMNodegroupRolesReconciliationFailed';
export const waitingForControlPlane = 'WaitingForEKSControlPlane';
