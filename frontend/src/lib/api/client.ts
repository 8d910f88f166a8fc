/** What the window asks of the controller. */
export { ApiFailure, gone, problemOf, runTool } from './request';
export * as api from './client.gen';
