/** What the window asks of the controller. */
export { api, ApiFailure, files, gone, problemOf, runTool, whileStill } from './request';
