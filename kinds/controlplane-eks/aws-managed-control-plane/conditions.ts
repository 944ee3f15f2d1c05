/** Conditions of an AWSManagedControlPlane, with the AWS provider's types and reasons. */
export const controlPlaneReady = 'EKSControlPlaneReady';
export const controlPlaneCreating = 'EKSControlPlaneCreating';
export const controlPlaneUpdating = 'EKSControlPlaneUpdating';
export const rolesReady = 'IAMControlPlaneRolesReady';
/** The reason of a part that does not succeed. */
export const reconciliationFailed = 'EKSControlPlaneReconciliationFailed';
export const rolesCreating = 'IAMControlPlaneRolesCreating';
export const rolesFailed = 'IAMControlPlaneRolesReconciliationFailed';
export const addonsConfigured = 'EKSAddonsConfigured';
export const addonsFailed = 'EKSAddonsConfiguredFailed';
